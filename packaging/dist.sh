#!/bin/sh
# Makes what is installed without a compiler, for this processor:
#
#   dist/meshpipe-VERSION-linux-ARCH.tar.gz   command, libraries, pipelines, manual, completions, Python module
#   dist/meshpipe_VERSION_ARCH.deb            for this release of Debian and later ones
#   dist/meshpipe-VERSION-py3-none-….whl      the command and the Python module
#
# `make dist` calls it. The same sources on the same system give the same bytes.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf 'dist: %s\n' "$*" >&2; }
fail() { say "$*"; exit 69; }
# Before anything is removed or built.
missing=
for program in patchelf dpkg-shlibdeps dpkg-deb python3 objdump strip; do
  command -v $program >/dev/null || missing="$missing '$program'"
done
[ -z "$missing" ] || fail "no$missing; sudo apt-get install patchelf dpkg-dev python3 binutils"

version=$(packaging/version.sh)
arch=$(uname -m)
# The files of an archive of sources have the time of its commit.
commit_time() { { [ -e .git ] && git log -1 --format=%ct 2>/dev/null; } || stat -c %Y CHANGELOG.md; }
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(commit_time)}
export SOURCE_DATE_EPOCH LC_ALL=C
umask 022

installed=$PWD/.build/dist
rm -rf "$installed" dist
"${MAKE:-make}" install PREFIX=/usr DESTDIR="$installed"
mkdir -p dist

# The package that a file of the system is from. Some name the folders before /lib and /usr/lib became one.
owner() {
  file=$(readlink -f "$1")
  { dpkg-query -S "$file" || dpkg-query -S "${file#/usr}"; } 2>/dev/null | head -n 1 | cut -d: -f1
}

# pack TREE PLACE CHOICE...: puts libraries of the command into the tree, those whose names 'grep -E CHOICE...' finds;
# PLACE is where the command looks for them.
#
# They get names of their own, so that what is opened at run time loads the system's: another version, with functions
# that it needs.
pack() {
  base=$1
  place=$2
  shift 2
  libraries=$base/lib/meshpipe/libraries
  mkdir -p "$libraries"
  ldd "$installed/usr/bin/meshpipe" | awk '$2 == "=>" { print $1, $3 }' | sort -u > "$work/needed"
  renamed=
  while read -r file path; do
    printf '%s' "$file" | grep -Eq "$@" || continue
    [ -e "$path" ] || fail "$file is not installed"
    new=$(printf '%s' "$file" | sed 's/\.so/-meshpipe.so/')
    install -m 644 "$path" "$libraries/$new"
    strip --strip-unneeded "$libraries/$new"
    patchelf --set-soname "$new" "$libraries/$new"
    renamed="$renamed --replace-needed $file $new"
    from=$(owner "$path")
    notice=/usr/share/doc/$from/copyright
    [ -n "$from" ] && [ -e "$notice" ] || fail "$path has no copyright notice to pass on"
    install -D -m 644 "$notice" "$base/share/doc/meshpipe/libraries/$from"
  done < "$work/needed"
  # One call for all names of a file. Names have no blanks.
  for file in "$base/bin/meshpipe" "$libraries"/*; do patchelf $renamed "$file"; done
  # The older kind of path counts for the libraries of libraries too.
  patchelf --force-rpath --set-rpath "$place" "$base/bin/meshpipe"
}

# --- The self-contained folder

name=meshpipe-$version-linux-$arch
tree=$work/$name
mkdir -p "$tree"
cp -r "$installed/usr/." "$tree/"
# All but the C library, and the C++ library, which programs that are opened at run time (FFmpeg, plugins) may need in
# a later version than the one here.
pack "$tree" '$ORIGIN/../lib/meshpipe/libraries' -v \
  '^(ld-linux|libc|libm|libdl|libpthread|librt|libresolv|libstdc\+\+|libgcc_s)[-.]'
install -D -m 644 LICENSE "$tree/share/doc/meshpipe/LICENSE"
install -m 644 CHANGELOG.md "$tree/share/doc/meshpipe/CHANGELOG.md"
for page in docs/*.md; do install -m 644 "$page" "$tree/share/doc/meshpipe/"; done

tar --create --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner \
  --mtime="@$SOURCE_DATE_EPOCH" --mode=u+rw,go+r,go-w "$name" | gzip -9n > "dist/$name.tar.gz"
say "dist/$name.tar.gz"

# --- The wheel, the same tree

python3 packaging/wheel.py "$tree" "$version" dist

# --- The package of Debian

root=$work/root
mkdir -p "$root" "$work/debian"
cp -r "$installed/usr" "$root/usr"
# Of these the next release has another version only, or one with other structures (Assimp): the package brings them,
# and so fits both releases. Whatever reads untrusted files besides stays Debian's, with its security updates.
pack "$root/usr" /usr/lib/meshpipe/libraries -e '^(libapriltag|libassimp|libdraco|libembree[34])\.'
gzip -9n "$root/usr/share/man/man1/meshpipe.1"
# Debian's zsh looks elsewhere for what packages bring.
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
gzip -9nc CHANGELOG.md > "$root/usr/share/doc/meshpipe/CHANGELOG.md.gz"
cat > "$root/usr/share/doc/meshpipe/copyright" <<COPYRIGHT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: The meshpipe project
License: Apache-2.0

License: Apache-2.0
 Debian has the text of this licence in /usr/share/common-licenses/Apache-2.0.
Comment:
 The notices of the libraries in /usr/lib/meshpipe/libraries are in
 /usr/share/doc/meshpipe/libraries.
COPYRIGHT
# dpkg-shlibdeps wants a source package around it. What the package brings has no owner.
printf 'Source: meshpipe\n\nPackage: meshpipe\nArchitecture: any\n' > "$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info -lroot/usr/lib/meshpipe/libraries \
  root/usr/bin/meshpipe root/usr/lib/meshpipe/libraries/* 2>"$work/words" | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || fail "dpkg-shlibdeps found no dependencies: $(cat "$work/words")"
mkdir -p "$root/DEBIAN"
# Recommended is what is opened at run time; of FFmpeg any release that CVideo knows.
cat > "$root/DEBIAN/control" <<CONTROL
Package: meshpipe
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: The meshpipe project <meshpipe@example.org>
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: $depends
Recommends: bubblewrap, libavformat59 | libavformat60 | libavformat61 | libavformat62 | libavformat63, libswscale6 | libswscale7 | libswscale8 | libswscale9 | libswscale10, libcurl4, libheif1, libhpdf-2.3.0 | libhpdf-dev, libmeshoptimizer2d, libproj25, libtiff6, libwebp7
Suggests: colmap, python3-numpy
Section: graphics
Priority: optional
Description: chains post-processing stages over 3D scans
 Turns a scan (LiDAR, photogrammetry) into a model that opens upright, at true
 scale and light enough to work with, as a pipeline in a JSON file says: filters
 classes, cleans, decimates, bakes photographs into a texture, and writes many
 formats.
CONTROL
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
deb=dist/meshpipe_${version}_$(dpkg --print-architecture).deb
dpkg-deb --root-owner-group --build "$root" "$deb" >/dev/null
say "$deb"

(cd dist && sha256sum meshpipe* > SHA256SUMS)
say "dist/SHA256SUMS"
case $(packaging/revision.sh) in
  *+changes) say "the sources differ from the commit; this is no release" ;;
esac
