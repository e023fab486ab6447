#!/bin/sh
# Prints the version of meshpipe, which stands in one place.
cd "$(dirname "$0")/.." && sed -n 's/.*meshpipeVersion = "\(.*\)"/\1/p' Sources/MeshpipeBase/Version.swift
