// Attacks that are known to work. They are run without asking policy, and each must leave its marker. Some need another program as well: `cc` makes the
// plugin, `script` the terminal in which a pager is started.

/** @type {{ program: string, needs?: string, command: string }[]} */
export const CONTROLS = [
  { program: 'tar', command: 'tar -cf out.tar --checkpoint=1 --checkpoint-action=exec=./marker.sh big.txt' },
  { program: 'tar', command: 'tar -cf out.tar -I ./marker.sh a.txt' },
  { program: 'find', command: 'find . -name a.txt -exec ./marker.sh {} \\;' },
  { program: 'git', command: 'git -c core.fsmonitor=./marker.sh status' },
  { program: 'git', command: 'git -c diff.external=./marker.sh diff' },
  { program: 'git', command: 'git -c alias.x=!./marker.sh x' },
  { program: 'git', command: 'git -C evil status' },
  { program: 'sed', command: "sed '1e ./marker.sh' a.txt" },
  { program: 'awk', command: `awk 'BEGIN { system("./marker.sh") }'` },
  { program: 'zip', command: "zip -T -TT './marker.sh #' out.zip a.txt" },
  { program: 'rsync', command: 'rsync -e ./marker.sh a.txt host:x' },
  { program: 'sort', command: 'sort -S 1k --compress-program=./marker.sh big.txt' },
  { program: 'ssh', command: 'ssh -o ProxyCommand=./marker.sh host' },
  { program: 'scp', command: 'scp -S ./marker.sh a.txt host:x' },
  { program: 'git', needs: 'script', command: 'git -c core.pager=./marker.sh log' },
  { program: 'man', needs: 'script', command: 'man -P ./marker.sh ./a.1' },
  { program: 'xargs', command: 'echo a | xargs ./marker.sh' },
  { program: 'split', command: 'split --filter=./marker.sh a.txt' },
  { program: 'sqlite3', command: "sqlite3 x.db '.shell ./marker.sh'" },
  { program: 'vim', command: "vim -es -c '!./marker.sh' -c 'qa!' a.txt" },
  { program: 'ed', command: "echo '!./marker.sh' | ed -s a.txt" },
  { program: 'gcc', command: 'gcc -wrapper ./marker.sh -c a.c' },
  { program: 'openssl', needs: 'cc', command: 'openssl engine -pre SO_PATH:$PWD/marker.so -pre LOAD dynamic' },
  { program: 'groff', command: 'groff -F . -Tx a.1' },
  { program: 'gcc-nm', needs: 'cc', command: "echo '--plugin ./marker.so' > x && gcc-nm @x a.o" },
  { program: 'git', command: 'git push ./evil.git HEAD:refs/heads/x' },
  { program: 'less', command: "LESSOPEN='|./marker.sh %s' less a.txt" },
  { program: 'wget', command: 'wget --use-askpass=./marker.sh http://127.0.0.1:9/' },
]
