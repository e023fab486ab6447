extension GatePreset {
  /// In the form of a file of one's own.
  static let scanText = """
    {
      "description": "a walk around a room or an object.",
      "minimumBrightness": [0.12, 0.04, 0.1],
      "maximumClipped": [0.3, 0.6, 0.1],
      "minimumSharpness": [0.8, 0.5, 0.1],
      "minimumTracking": [1, 0.5, 0.02],
      "maximumExposureChange": [1, 3, 0.1],
      "maximumFocusChange": [0.02, 0.1, 0.05],
      "minimumDepthShare": [0.5, 0.1, 0.1],
      "minimumConfidentShare": [0.5, 0.2, 0.1],
      "maximumGap": [5, 20, 0.02],
      "maximumStep": [1, 3, 0.05],
      "maximumTurn": [45, 90, 0.05],
      "maximumSpeed": [1, 3, 0.05],
      "maximumTurnRate": [60, 180, 0.05],
      "minimumCoverage": [0.9, 0.5],
      "minimumDepthFit": [0.6, 0.25, 0.1],
      "minimumImageFit": [0.3, 0.15, 0.1]
    }
    """
}
