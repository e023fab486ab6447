#!/bin/sh
# Makes what is installed without a compiler, for this system and processor:
#
#   dist/meshpipe-VERSION-linux-ARCH.tar.xz   command, libraries, pipelines, manual, completions, Python module
#   dist/meshpipe_VERSION_ARCH.deb            for the release of Debian or Ubuntu that it is made on
#   dist/meshpipe-VERSION-py3-none-….whl      the command and the Python module
#
# `make dist` calls it as packaging/dist.sh FOLDER, where FOLDER holds what `make install PREFIX=/usr
# DESTDIR=FOLDER` made. The same sources on the same system give the same bytes.
set -eu
cd "$(dirname "$0")/.."
installed=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf 'dist: %s\n' "$*" >&2; }
fail() { say "$*"; exit 69; }
for program in patchelf dpkg-shlibdeps dpkg-deb xz python3; do
  command -v $program >/dev/null ||
    fail "no '$program'; sudo apt-get install patchelf dpkg-dev xz-utils python3"
done

version=$(sed -n 's/.*meshpipeVersion = "\(.*\)"/\1/p' Sources/MeshpipeBase/Version.swift)
arch=$(uname -m)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH LC_ALL=C
umask 022
mkdir -p dist

# --- The self-contained folder

# Of the system: the C library, and the C++ library, which programs that are opened at run time (FFmpeg,
# plugins) may need in a later version than the one here.
of_system='^(ld-linux|libc|libm|libdl|libpthread|librt|libresolv|libstdc\+\+|libgcc_s)[-.]'

name=meshpipe-$version-linux-$arch
tree=$work/$name
mkdir -p "$tree"
cp -r "$installed/usr/." "$tree/"
libraries=$tree/lib/meshpipe/libraries
mkdir -p "$libraries"
ldd "$tree/bin/meshpipe" | awk '$2 == "=>" { print $1, $3 }' | sort -u | while read -r file path; do
  printf '%s' "$file" | grep -Eq "$of_system" && continue
  [ -e "$path" ] || fail "$file is not installed"
  install -m 644 "$path" "$libraries/$file"
  strip --strip-unneeded "$libraries/$file"
  package=$(dpkg-query -S "$(readlink -f "$path")" 2>/dev/null | head -n 1 | cut -d: -f1)
  notice=/usr/share/doc/$package/copyright
  if [ -n "$package" ] && [ -e "$notice" ]; then
    install -D -m 644 "$notice" "$tree/share/doc/meshpipe/libraries/$package"
  fi
done
# Under names of their own, so that what is opened at run time loads the system's: another version, with
# functions that it needs.
own_name() { printf '%s' "$1" | sed 's/\.so/-meshpipe.so/'; }
renamed=
for file in "$libraries"/*; do
  old=${file##*/}
  new=$(own_name "$old")
  mv "$file" "$libraries/$new"
  patchelf --set-soname "$new" "$libraries/$new"
  renamed="$renamed --replace-needed $old $new"
done
# One call for all names of a file. Names have no blanks.
for file in "$tree/bin/meshpipe" "$libraries"/*; do patchelf $renamed "$file"; done
# The older kind of path counts for the libraries of libraries too.
patchelf --force-rpath --set-rpath '$ORIGIN/../lib/meshpipe/libraries' "$tree/bin/meshpipe"
install -D -m 644 LICENSE "$tree/share/doc/meshpipe/LICENSE"
install -m 644 CHANGELOG.md "$tree/share/doc/meshpipe/CHANGELOG.md"
for page in docs/*.md; do install -m 644 "$page" "$tree/share/doc/meshpipe/"; done

tar --create --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner \
  --mtime="@$SOURCE_DATE_EPOCH" --mode=u+rw,go+r,go-w "$name" | xz --threads=1 -6 > "dist/$name.tar.xz"
say "dist/$name.tar.xz"

# --- The wheel, the same tree

python3 packaging/wheel.py "$tree" "$version" dist

# --- The package of Debian

package=$work/package
mkdir -p "$package" "$work/debian"
cp -r "$installed/usr" "$package/usr"
gzip -9n "$package/usr/share/man/man1/meshpipe.1"
# Debian's zsh looks elsewhere for what packages bring.
mv "$package/usr/share/zsh/site-functions" "$package/usr/share/zsh/vendor-completions"
install -D -m 644 LICENSE "$package/usr/share/doc/meshpipe/copyright"
# dpkg-shlibdeps wants a source package around it.
printf 'Source: meshpipe\n\nPackage: meshpipe\nArchitecture: any\n' > "$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O -e package/usr/bin/meshpipe 2>/dev/null |
  sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || fail "dpkg-shlibdeps found no dependencies"
# What is opened at run time, by the exact version of the headers.
owner() { dpkg-query -S "$(readlink -f "$1")" 2>/dev/null | head -n 1 | cut -d: -f1; }
recommends=bubblewrap
folder=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
for library in libavcodec libavformat libavutil libswscale; do
  found=$(owner "$folder/$library.so")
  [ -z "$found" ] || recommends="$recommends, $found"
done
mkdir -p "$package/DEBIAN"
cat > "$package/DEBIAN/control" <<CONTROL
Package: meshpipe
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: The meshpipe project <meshpipe@example.org>
Installed-Size: $(du -sk "$package/usr" | cut -f1)
Depends: $depends
Recommends: $recommends
Suggests: libcurl4, libheif1, libmeshoptimizer2d, libtiff6, libwebp7, python3-numpy
Section: graphics
Priority: optional
Description: chains post-processing stages over 3D scans
 Turns a scan (LiDAR, photogrammetry) into a model that opens upright, at true
 scale and light enough to work with, as a pipeline in a JSON file says: filters
 classes, cleans, decimates, bakes photographs into a texture, and writes many
 formats.
CONTROL
find "$package" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
deb=dist/meshpipe_${version}_$(dpkg --print-architecture).deb
dpkg-deb --root-owner-group --build "$package" "$deb" >/dev/null
say "$deb"

(cd dist && sha256sum meshpipe* > SHA256SUMS)
