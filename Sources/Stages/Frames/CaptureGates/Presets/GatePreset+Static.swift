extension GatePreset {
  /// In the form of a file of one's own.
  ///
  /// One place sees a part of the mesh at best, and a camera that must not move has no limits of walking.
  static let staticText = """
    {
      "description": "a camera on a tripod.",
      "minimumBrightness": [0.12, 0.04, 0.1],
      "maximumClipped": [0.3, 0.6, 0.1],
      "minimumSharpness": [0.8, 0.5, 0.1],
      "minimumTracking": [1, 0.5, 0.02],
      "maximumExposureChange": [1, 3, 0.1],
      "maximumFocusChange": [0.02, 0.1, 0.05],
      "minimumDepthShare": [0.5, 0.1, 0.1],
      "minimumConfidentShare": [0.5, 0.2, 0.1],
      "maximumGap": [5, 20, 0.02],
      "minimumDuration": [2, 2],
      "lockTime": 2,
      "maximumLockShift": [2, 2],
      "maximumLockTurn": [0.5, 0.5],
      "require": ["duration", "lock-shift", "lock-turn"]
    }
    """
}
