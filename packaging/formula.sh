#!/bin/sh
# Prints a Homebrew formula for a tag: packaging/formula.sh https://forge.example/owner/meshpipe v1.2.3
set -eu
home=$1
tag=$2
archive=$home/archive/refs/tags/$tag.tar.gz
if [ -z "${SHA256:-}" ]; then
  file=$(mktemp)
  trap 'rm -f "$file"' EXIT
  curl -fsSL "$archive" -o "$file"
  SHA256=$(sha256sum "$file" | cut -d' ' -f1)
fi
cat <<FORMULA
class Meshpipe < Formula
  desc "Chains post-processing stages over 3D scans"
  homepage "$home"
  url "$archive"
  sha256 "$SHA256"
  license "Apache-2.0"
  head "$home.git", branch: "main"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "apriltag"
  depends_on "assimp"
  depends_on "draco"
  depends_on "embree"
  depends_on "expat"
  depends_on "ffmpeg"
  depends_on "jpeg-turbo"
  depends_on "libarchive"
  depends_on "libpng"
  depends_on "lz4"
  depends_on "nettle"
  depends_on macos: :sequoia

  def install
    system "make", "install", "PREFIX=#{prefix}"
  end

  test do
    (testpath/"scan.obj").write "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    system bin/"meshpipe", "run", "scan.obj", "-s", "weld", "-o", "out.glb"
    assert_path_exists testpath/"out.glb"
  end
end
FORMULA
