//! Options that a rule on a program covers: those of its manual. Another one, of a version to come or of another program of
//! this name, can do what nobody thought of who wrote the rule.
//!
//! Here are programs that are not there to run code. What those of these options do that reach further is in other tables.

use super::Invocation;
use crate::Word;

// Sources: `--help` of the programs in the versions of Debian 12, the manuals of curl 8.17 and of tar and sort of FreeBSD 14.
const TAR: &str = "\
    absolute-names acls add-file after-date anchored append atime-preserve auto-compress b64encode backup block-number \
    blocking-factor bzip2 catenate cd check-device check-links checkpoint checkpoint-action clamp-mtime compare compress \
    concatenate confirmation create delay-directory-restore delete dereference diff directory disable-copyfile exclude \
    exclude-backups exclude-caches exclude-caches-all exclude-caches-under exclude-from exclude-ignore exclude-ignore- \
    recursive exclude-tag exclude-tag-all exclude-tag-under exclude-vcs exclude-vcs-ignores extract fast-read fflags file \
    files-from force-local format full-time get gid gname group group-map grzip gunzip gzip hard-dereference help hole- \
    detection ignore-case ignore-command-error ignore-failed-read ignore-zeros include incremental index-file info-script \
    insecure interactive keep-directory-symlink keep-newer-files keep-old-files label level list listed-incremental lrzip \
    lz4 lzip lzma lzop mac-metadata mode mtime multi-volume new-volume-script newer newer-mtime newer-than no-acls no- \
    anchored no-auto-compress no-check-device no-delay-directory-restore no-fflags no-ignore-case no-ignore-command-error \
    no-mac-metadata no-null no-overwrite-dir no-quote-chars no-recursion no-same-owner no-same-permissions no-seek no- \
    selinux no-unquote no-verbatim-files-from no-wildcards no-wildcards-match-slash no-xattrs null numeric-owner \
    occurrence old-archive older older-than one-file-system one-top-level options overwrite overwrite-dir owner owner-map \
    passphrase pax-option portability posix preserve-order preserve-permissions quote-chars quoting-style read-full-blocks \
    read-full-records record-size recursion recursive-unlink remove-files restrict rmt-command rsh-command same-order \
    same-owner same-permissions seek selinux set-mtime show-defaults show-omitted-dirs show-snapshot-field-ranges show- \
    stored-names show-transformed-names skip-old-files sort sparse sparse-version starting-file strip-components suffix \
    tape-length test-label to-command to-stdout totals touch transform uid uname uncompress ungzip unlink-first unquote \
    update usage use-compress-program utc uuencode verbatim-files-from verbose verify version volno-file warning wildcards \
    wildcards-match-slash xattrs xattrs-exclude xattrs-include xform xz zstd";

const SORT: &str = "\
    batch-size buffer-size check compress-program debug dictionary-order field-separator files0-from general-numeric-sort \
    heapsort help human-numeric-sort ignore-case ignore-leading-blanks ignore-nonprinting key merge mergesort mmap month- \
    sort numeric-sort output parallel qsort radixsort random-sort random-source reverse sort stable temporary-directory \
    unique version version-sort zero-terminated";

const CURL: &str = "\
    abstract-unix-socket alpn alt-svc anyauth append aws-sigv4 basic buffer ca-native cacert capath cert cert-status cert- \
    type ciphers clobber compressed compressed-ssh config connect-timeout connect-to continue-at cookie cookie-jar create- \
    dirs create-file-mode crlf crlfile curves data data-ascii data-binary data-raw data-urlencode delegation digest \
    disable disable-eprt disable-epsv disallow-username-in-url dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh- \
    cert-status doh-insecure doh-url dump-ca-embed dump-header ech egd-file engine etag-compare etag-save expand-cookie \
    expand-data expand-form expand-header expand-json expand-output expand-url expand-user expect100-timeout fail fail- \
    early fail-with-body false-start follow form form-escape form-string ftp-account ftp-alternative-to-user ftp-create- \
    dirs ftp-method ftp-pasv ftp-port ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-ccc-mode ftp-ssl-control get globoff \
    happy-eyeballs-timeout-ms haproxy-clientip haproxy-protocol head header help hostpubmd5 hostpubsha256 hsts http0 http1 \
    http2 http2-prior-knowledge http3 http3-only ignore-content-length include insecure interface ip-tos ipfs-gateway ipv4 \
    ipv6 json junk-session-cookies keepalive keepalive-cnt keepalive-time key key-type knownhosts krb libcurl limit-rate \
    list-only local-port location location-trusted login-options mail-auth mail-from mail-rcpt mail-rcpt-allowfails manual \
    max-filesize max-redirs max-time metalink mptcp negotiate netrc netrc-file netrc-optional next no-alpn no-buffer no- \
    clobber no-keepalive no-npn no-progress-meter no-sessionid noproxy npn ntlm ntlm-wb oauth2-bearer out-null output \
    output-dir parallel parallel-immediate parallel-max parallel-max-host pass path-as-is pinnedpubkey post301 post302 \
    post303 preproxy progress-bar progress-meter proto proto-default proto-redir proxy proxy-anyauth proxy-basic proxy-ca- \
    native proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers proxy-crlfile proxy-digest proxy-header \
    proxy-http2 proxy-insecure proxy-key proxy-key-type proxy-negotiate proxy-ntlm proxy-pass proxy-pinnedpubkey proxy- \
    service-name proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword \
    proxy-tlsuser proxy-tlsv1 proxy-user proxy1 proxytunnel pubkey quote random-file range rate raw referer remote-header- \
    name remote-name remote-name-all remote-time remove-on-error request request-target resolve retry retry-all-errors \
    retry-connrefused retry-delay retry-max-time sanitize sasl-authzid sasl-ir service-name sessionid show-error sigalgs \
    silent skip-existing socks4 socks4a socks5 socks5-basic socks5-gssapi socks5-gssapi-nec socks5-gssapi-service \
    socks5-hostname speed-limit speed-time ssl ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd ssl-revoke- \
    best-effort sslv2 sslv3 stderr styled-output suppress-connect-headers tcp-fastopen tcp-nodelay telnet-option tftp- \
    blksize tftp-no-options time-cond tls-earlydata tls-max tls13-ciphers tlsauthtype tlspassword tlsuser tlsv1 tr- \
    encoding trace trace-ascii trace-config trace-ids trace-time unix-socket upload-file upload-flags url url-query use- \
    ascii user user-agent variable verbose version vlan-priority write-out xattr";

const WGET: &str = "\
    accept accept-regex adjust-extension append-output ask-password auth-no-challenge background backup-converted backups \
    base bind-address body-data body-file ca-certificate ca-directory cache certificate certificate-type check-certificate \
    ciphers clobber compression config connect-timeout content-disposition content-on-error continue convert-file-only \
    convert-links cookies crl-file cut-dirs debug default-page delete-after directories directory-prefix dns-cache dns- \
    timeout domains exclude-directories exclude-domains execute follow-ftp follow-tags force-directories force-html ftp- \
    password ftp-user ftps-clear-data-connection ftps-fallback-to-ftp ftps-implicit ftps-resume-ssl glob header help host- \
    directories hsts hsts-file http-keep-alive http-password http-user https-only if-modified-since ignore-case ignore- \
    length ignore-tags include-directories inet4-only inet6-only input-file iri keep-session-cookies level limit-rate \
    load-cookies local-encoding max-redirect method mirror netrc no-cache no-check-certificate no-clobber no-config no- \
    cookies no-directories no-dns-cache no-glob no-host-directories no-hsts no-http-keep-alive no-if-modified-since no-iri \
    no-netrc no-parent no-passive-ftp no-proxy no-remove-listing no-use-server-timestamps no-verbose no-warc-compression \
    no-warc-digests no-warc-keep-log output-document output-file page-requisites parent passive-ftp password pinnedpubkey \
    post-data post-file prefer-family preserve-permissions private-key private-key-type progress protocol-directories \
    proxy proxy-password proxy-user quiet quota random-wait read-timeout recursive referer regex-type reject reject-regex \
    rejected-log relative remote-encoding remove-listing report-speed restrict-file-names retr-symlinks retry-connrefused \
    retry-on-http-error save-cookies save-headers secure-protocol server-response show-progress span-hosts spider start- \
    pos strict-comments timeout timestamping tries trust-server-names unlink use-askpass use-server-timestamps user user- \
    agent verbose version wait waitretry warc-cdx warc-compression warc-dedup warc-digests warc-file warc-header warc- \
    keep-log warc-max-size warc-tempdir xattr";

const MAN: &str = "\
    all apropos ascii catman config-file debug default ditroff encoding extension global-apropos gxditview help html \
    ignore-case local-file locale location location-cat manpath match-case names-only nh nj no-hyphenation no- \
    justification no-subpages pager path preprocessor prompt recode regex sections systems troff troff-device update usage \
    version warnings whatis where where-cat wildcard";

const SED: &str = "\
    debug expression file follow-symlinks help in-place line-length null-data posix quiet regexp-extended sandbox separate \
    silent unbuffered version";

const SPLIT: &str = "\
    additional-suffix bytes elide-empty-files filter help hex-suffixes line-bytes lines number numeric-suffixes separator \
    suffix-length unbuffered verbose version";

const DIFF: &str = "\
    GTYPE-group-format LTYPE-line-format brief color context ed exclude exclude-from expand-tabs from-file help horizon- \
    lines ifdef ignore-all-space ignore-blank-lines ignore-case ignore-file-name-case ignore-matching-lines ignore-space- \
    change ignore-tab-expansion ignore-trailing-space initial-tab label left-column line-format minimal new-file no- \
    dereference no-ignore-file-name-case normal paginate palette rcs recursive report-identical-files show-c-function \
    show-function-line side-by-side speed-large-files starting-file strip-trailing-cr suppress-blank-empty suppress- \
    common-lines tabsize text to-file unidirectional-new-file unified version width";

/// The long options of a program, with blanks between them.
fn known_of(base: &str) -> Option<&'static str> {
    Some(match base {
        "tar" | "bsdtar" => TAR,
        "sort" => SORT,
        "curl" => CURL,
        "wget" => WGET,
        "man" => MAN,
        "sed" => SED,
        "split" => SPLIT,
        "diff" => DIFF,
        _ => return None,
    })
}

impl Invocation {
    /// The first long option that is not known of a program of which all are.
    #[must_use]
    pub fn unknown_option(&self) -> Option<&str> {
        let known = known_of(self.base_name()?)?;
        let words = self.plain_words().iter().skip(1);
        let mut own = words
            .map_while(|word| Some(word).filter(|word| word.literal() != Some("--")))
            .filter_map(Word::literal);
        own.find(|text| is_unknown(text, known))
    }
}

fn is_unknown(text: &str, known: &str) -> bool {
    let Some(long) = text.strip_prefix("--").filter(|long| !long.is_empty()) else {
        return false;
    };
    let name = long.split('=').next().unwrap_or_default();
    let positive = name.strip_prefix("no-").unwrap_or(name);
    // Abbreviations count as what they can stand for.
    let mut all = known.split_whitespace();
    !all.any(|option| option.starts_with(name) || option.starts_with(positive))
}
