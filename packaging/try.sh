#!/bin/sh
# Tries what `make dist` made in the bare root of a system that has no compiler:
#
#   sudo debootstrap --variant=minbase bookworm ROOT && sudo packaging/try.sh ROOT [tar] [deb] [wheel]
#
# Each is installed, runs the sample, and has to give the bytes of dist/expected.sha256, which the first one writes.
set -eu
cd "$(dirname "$0")/.."
root=$1
shift
kinds=${*:-tar deb wheel}
place=$root/opt/meshpipe-trial
# The loader asks /proc where a program is, which every running system has.
mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
cp /etc/resolv.conf "$root/etc/resolv.conf"
[ -e "$root/etc/hosts" ] || cp /etc/hosts "$root/etc/hosts"

inside() { chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 sh -euc "$1"; }

check() { # KIND COMMAND
  inside "cd /opt/meshpipe-trial && $2 --version && $2 run blender living-room.obj -o out/ --quiet"
  (cd "$place/out" && sha256sum living-room.glb) > "$place/found.sha256"
  [ -e dist/expected.sha256 ] || cp "$place/found.sha256" dist/expected.sha256
  cmp "$place/found.sha256" dist/expected.sha256
  rm -rf "$place/out"
  echo "$1: the sample has the expected bytes"
}

for kind in $kinds; do
  rm -rf "$place"
  mkdir -p "$place"
  cp samples/living-room.* "$place/"
  case $kind in
    tar)
      tar -xf dist/meshpipe-*-linux-*.tar.xz -C "$place" --strip-components=1
      check tar /opt/meshpipe-trial/bin/meshpipe ;;
    deb)
      cp dist/meshpipe_*.deb "$place/"
      inside "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Use-Pty=0 install -y -qq \
        --no-install-recommends /opt/meshpipe-trial/meshpipe_*.deb >/dev/null"
      check deb meshpipe
      inside "apt-get -o Dpkg::Use-Pty=0 purge -y -qq meshpipe >/dev/null && apt-get -o Dpkg::Use-Pty=0 autoremove -y -qq >/dev/null" ;;
    wheel)
      cp dist/meshpipe-*.whl "$place/"
      inside "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Use-Pty=0 install -y -qq \
        --no-install-recommends python3-venv python3-numpy >/dev/null"
      # With the system's numpy nothing is fetched from an index.
      inside "cd /opt/meshpipe-trial && python3 -m venv --system-site-packages venv &&
        venv/bin/pip install -q --no-index *.whl"
      check wheel venv/bin/meshpipe
      inside "cd /opt/meshpipe-trial && venv/bin/python -c '
import meshpipe
scene = meshpipe.read(\"living-room.obj\")
print(meshpipe.version(), len(scene.meshes[0].positions))'" ;;
  esac
done
rm -rf "$place"
