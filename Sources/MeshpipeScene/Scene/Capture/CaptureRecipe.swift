extension Capture {
  /// What a capture's description says of how it was recorded and of what was measured then.
  public struct Recipe: Sendable, Equatable, Codable {
    /// In the order of the description.
    public var steps: [Step]
    /// The names of the steps that show the background alone.
    public var background: [String]
    /// The names of the steps in which something stands before it.
    public var hidden: [String]
    /// What the description says was measured.
    public var claims: [Claim]
    /// What is wrong with the description, a sentence on each, with its place.
    public var faults: [String]

    /// Creates a recipe.
    public init(
      steps: [Step] = [], background: [String] = [], hidden: [String] = [], claims: [Claim] = [],
      faults: [String] = []
    ) {
      self.steps = steps
      self.background = background
      self.hidden = hidden
      self.claims = claims
      self.faults = faults
    }

    /// A part of a recording.
    public struct Step: Sendable, Equatable, Codable {
      /// Unique within the recipe.
      public var name: String
      /// From its beginning to its end, on the clock of the frames' times.
      public var times: ClosedRange<Double>

      /// Creates a step.
      public init(name: String, times: ClosedRange<Double>) {
        self.name = name
        self.times = times
      }
    }

    /// A statement of the description.
    public struct Claim: Sendable, Equatable, Codable {
      /// What a statement may be about, by its key.
      public enum Subject: String, Sendable, CaseIterable, Codable {
        /// The greatest turn within the time of the lock, in degrees.
        case lockRotation = "lock_rotation_deg"
        /// The greatest shift within the time of the lock, in millimetres.
        case lockTranslation = "lock_translation_mm"
        /// The share of the cells that something stands before.
        case barrierFraction = "barrier_fraction"
        /// Between what stands before the background and the background, in millimetres.
        case separation = "separation_mm"
        /// How long something stands before the background, in seconds.
        case dwell = "dwell_s"
        /// Whether the capture is good.
        case passed
      }

      /// What it is about.
      public var subject: Subject
      /// What was measured; 1 and 0 for true and false.
      public var value: Double
      /// Where it stands: `room/manifest.json:12:5`.
      public var place: String

      /// Creates a claim.
      public init(_ subject: Subject, value: Double, place: String) {
        self.subject = subject
        self.value = value
        self.place = place
      }
    }

    /// The steps of these names.
    public func steps(named names: [String]) -> [Step] { steps.filter { names.contains($0.name) } }

    /// From the beginning of the first step to the end of the last; nil if there is none.
    public var times: ClosedRange<Double>? {
      guard let start = steps.map(\.times.lowerBound).min(),
        let end = steps.map(\.times.upperBound).max()
      else { return nil }
      return start...end
    }
  }
}
