#pragma once
#if !__has_include(<libavformat/avformat.h>)
#error "the headers of FFmpeg are missing: Debian's libavformat-dev and libswscale-dev, Homebrew's ffmpeg"
#endif
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
