#!/bin/sh
# Builds the native part of a platform on a system of that kind, into `artifacts/bindings-<platform>/`, and tries it: sh .github/build.sh linux-x64-gnu
set -eu
platform=$1

if command -v apk > /dev/null; then
  apk add --no-cache bash build-base clang cmake curl git rustup
  rustup-init -y --profile minimal
  PATH="$HOME/.cargo/bin:$PATH"
fi
npm install --no-save --no-audit --no-fund

case $platform in
  linux-*-gnu)
    # For glibc 2.17, and not for that of the machine that builds it.
    node scripts/cross.mjs --only "$platform"
    mkdir -p native
    cp "artifacts/bindings-$platform/"* native/
    ;;
  linux-*-musl)
    RUSTFLAGS='-C target-feature=-crt-static' npm run build
    # Static, unlike the addon: for every Linux.
    architecture=${platform#linux-}
    node scripts/engine.mjs "${architecture%-musl}"
    cp native/engine-linux-*/tenon-engine native/tenon-engine
    ;;
  *)
    npm run build
    ;;
esac
node bin/tenon.js doctor
node bin/tenon.js call read README.md limit=1

mkdir -p "artifacts/bindings-$platform"
for file in native/*.node native/tenon-helper native/tenon-engine; do
  if [ -f "$file" ]; then cp "$file" "artifacts/bindings-$platform/"; fi
done
