#!/bin/sh
# Tries what `make dist` made in the bare root of a system that has no compiler:
#
#   sudo debootstrap --variant=minbase bookworm ROOT && sudo packaging/try.sh ROOT [tar] [deb] [wheel]
#
# Each is installed, runs the sample, and has to give the bytes of dist/expected.sha256, which the first one writes.
# Then FFmpeg and libcurl of the system are installed, and each reads a video and uploads over HTTPS. It needs Python
# and openssl outside the root.
set -eu
cd "$(dirname "$0")/.."
root=$1
shift
kinds=${*:-tar deb wheel}
place=$root/opt/meshpipe-trial
server=$(mktemp -d)
# The loader asks /proc where a program is, which every running system has.
mount -t proc proc "$root/proc"
server_process=
clean() {
  [ -z "$server_process" ] || kill "$server_process" 2>/dev/null || true
  umount "$root/proc"
  rm -rf "$server"
}
trap clean EXIT
cp /etc/resolv.conf "$root/etc/resolv.conf"
[ -e "$root/etc/hosts" ] || cp /etc/hosts "$root/etc/hosts"

inside() { chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 sh -euc "$1"; }
fetch() {
  inside "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Use-Pty=0 install -y -qq \
    --no-install-recommends $* >/dev/null"
}

install_tar() { tar -xf dist/meshpipe-*-linux-*.tar.gz -C "$place" --strip-components=1; }
install_deb() {
  cp dist/meshpipe_*.deb "$place/"
  fetch "/opt/meshpipe-trial/$(basename dist/meshpipe_*.deb)"
}
install_wheel() {
  cp dist/meshpipe-*.whl "$place/"
  fetch python3-venv python3-numpy
  # With the system's numpy nothing is fetched from an index.
  inside "cd /opt/meshpipe-trial && python3 -m venv --system-site-packages venv &&
    venv/bin/pip install -q --no-index *.whl"
}
command_of() {
  case $1 in
    tar) echo /opt/meshpipe-trial/bin/meshpipe ;;
    deb) echo meshpipe ;;
    wheel) echo venv/bin/meshpipe ;;
  esac
}
remove() {
  rm -rf "$place"
  [ "$1" = deb ] || return 0
  inside "apt-get -o Dpkg::Use-Pty=0 purge -y -qq meshpipe >/dev/null &&
    apt-get -o Dpkg::Use-Pty=0 autoremove -y -qq >/dev/null"
  left=$(find "$root/etc" "$root/usr" "$root/var" -name '*meshpipe*')
  [ -z "$left" ] || { echo "the package left $left"; exit 1; }
}

check() { # KIND COMMAND
  inside "cd /opt/meshpipe-trial && $2 --version && $2 run blender living-room.obj -o out/ --quiet"
  (cd "$place/out" && sha256sum living-room.glb) > "$place/found.sha256"
  [ -e dist/expected.sha256 ] || cp "$place/found.sha256" dist/expected.sha256
  cmp "$place/found.sha256" dist/expected.sha256
  echo "$1: the sample has the expected bytes"
  [ "$1" != wheel ] || inside "cd /opt/meshpipe-trial && venv/bin/python -c '
import meshpipe
scene = meshpipe.read(\"living-room.obj\")
print(meshpipe.version(), len(scene.meshes[0].positions))'"
}

# A capture with a video. FFmpeg's own command compares the frames as they were decoded.
check_video() { # KIND COMMAND
  mkdir -p "$place/room"
  printf 'v -1 -1 -2\nv 1 -1 -2\nv 1 1 -2\nv -1 1 -2\nf 1 2 3 4\n' > "$place/room/mesh.obj"
  for frame in 0 1 2 3 4 5 6 7 8 9 10 11; do
    printf '{"frame_idx": %s, "resolution": [320, 240], "intrinsics": [[240, 0, 160], [0, 240, 120], [0, 0, 1]],' $frame
    printf ' "camera_in_world_4x4": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}\n'
  done > "$place/room/frames.jsonl"
  # Nothing in the picture is on the mesh, so the poses are forced.
  inside "cd /opt/meshpipe-trial && ffmpeg -v error -f lavfi -i testsrc2=size=320x240:rate=2:duration=6 \
      -pix_fmt yuv420p -g 5 room/video.mov &&
    $2 run room --force-poses -o frames/ --output-format frames-bundle --set frames-bundle.pictures=images --quiet &&
    ffmpeg -hide_banner -nostats -r 2 -i frames/images/frame_%06d.jpg -i room/video.mov -lavfi psnr -f null - 2>&1" \
    > "$place/words"
  # JPEG costs this much. Two frames exchanged would come to 23.
  likeness=$(sed -n 's/.*PSNR .*average:\([0-9]*\).*/\1/p' "$place/words")
  [ "$(ls "$place/frames/images" | wc -l)" = 12 ] && [ "${likeness:-0}" -ge 28 ] || { cat "$place/words"; exit 1; }
  echo "$1: the frames of a video are right ($likeness dB)"
}

check_upload() { # KIND COMMAND
  cp "$server/certificate.pem" "$place/"
  inside "cd /opt/meshpipe-trial && CURL_CA_BUNDLE=certificate.pem $2 run living-room.obj -o sent.glb --quiet \
    --upload https://localhost:$port/ok/$1"
  cmp "$place/sent.glb" "$server/files/ok__$1__sent.glb"
  echo "$1: the upload arrived"
}

begin() { # KIND
  rm -rf "$place"
  mkdir -p "$place"
  cp samples/living-room.* "$place/"
  "install_$1"
}

for kind in $kinds; do
  begin "$kind"
  check "$kind" "$(command_of "$kind")"
  remove "$kind"
done

openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
  -keyout "$server/key.pem" -out "$server/certificate.pem" 2>/dev/null
mkdir "$server/files"
mkfifo "$server/input"
python3 Tools/checks/upload_server.py "$server" "$server/certificate.pem" "$server/key.pem" \
  < "$server/input" > "$server/port" &
server_process=$!
# The server ends with its input.
exec 3> "$server/input"
until [ -s "$server/port" ]; do sleep 0.1; done
port=$(tr -dc 0-9 < "$server/port")
fetch ffmpeg libcurl4
for kind in $kinds; do
  begin "$kind"
  check_video "$kind" "$(command_of "$kind")"
  check_upload "$kind" "$(command_of "$kind")"
  remove "$kind"
done
