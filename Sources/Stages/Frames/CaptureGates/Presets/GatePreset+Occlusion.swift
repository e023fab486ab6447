extension GatePreset {
  /// In the form of a file of one's own.
  ///
  /// A hand that holds a barrier changes sharpness, brightness and exposure, and what hides the background is off the mesh.
  static let occlusionText = """
    {
      "description": "a camera on a tripod, and something that hides the background for a while.",
      "minimumTracking": [1, 0.5, 0.02],
      "maximumFocusChange": [0.02, 0.1, 0.05],
      "minimumDuration": [2, 2],
      "lockTime": 2,
      "maximumLockShift": [2, 2],
      "maximumLockTurn": [0.5, 0.5],
      "minimumBarrier": [0.6, 0.6, 0.3],
      "minimumSeparation": [50, 50, 0.3],
      "minimumDwell": [4, 4],
      "maximumDwell": [6, 6],
      "require": [
        "duration", "lock-shift", "lock-turn", "barrier", "separation", "short-dwell", "long-dwell"
      ]
    }
    """
}
