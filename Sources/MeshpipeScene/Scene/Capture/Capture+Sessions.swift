extension Capture {
  /// Makes all frames those of one session of several, in whose name theirs begin from then on.
  ///
  /// - Parameters:
  ///   - session: The number of the session.
  ///   - names: Of all sessions, each once.
  package mutating func become(session: Int, of names: [String]) {
    sessions = names
    for index in frames.indices {
      frames[index].session = session
      frames[index].name = "\(names[session])/\(frames[index].name)"
    }
    for index in depthFrames.indices {
      depthFrames[index].session = session
      depthFrames[index].name = "\(names[session])/\(depthFrames[index].name)"
    }
  }

  /// Whether both are one recording, read twice or copied: two recordings never have the same poses.
  package func isSameRecording(as other: Capture) -> Bool {
    frames.count == other.frames.count && depthFrames.count == other.depthFrames.count
      && zip(frames, other.frames).allSatisfy { $0.pose == $1.pose && $0.timestamp == $1.timestamp }
      && zip(depthFrames, other.depthFrames).allSatisfy {
        $0.pose == $1.pose && $0.timestamp == $1.timestamp
      }
  }
}
