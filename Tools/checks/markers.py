#!/usr/bin/env python3
"""Prints the ArUco markers that OpenCV finds in pictures: number and corners, for comparison with ours.

markers.py DICTIONARY PICTURE...
"""

import json
import sys

import cv2

dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, sys.argv[1]))
parameters = cv2.aruco.DetectorParameters()
parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
detector = cv2.aruco.ArucoDetector(dictionary, parameters)
found = []
for path in sys.argv[2:]:
    corners, numbers, _ = detector.detectMarkers(cv2.imread(path, cv2.IMREAD_GRAYSCALE))
    # The centre of OpenCV's first pixel is at (0, 0).
    found.append([
        {"number": int(number), "corners": (square[0] + 0.5).tolist()}
        for square, number in zip(corners, [] if numbers is None else numbers.ravel())
    ])
print(json.dumps(found))
