import MeshpipeBase
package import MeshpipeScene

extension Scene {
  /// Reads further scans and merges them with the scene, whose capture's mesh is then one of several.
  ///
  /// The frames of several captures are sessions of one.
  ///
  /// - Parameters:
  ///   - path: The file of the scene, whose name may give the class of its faces.
  ///   - name: What messages call the scene; nil for the name of its file.
  package mutating func join(
    _ others: [JoinedInput], toInput path: String, named name: String? = nil,
    in context: ReadingContext
  ) throws {
    guard !others.isEmpty else { return }
    classify(byNameOf: path)
    capture?.origin?.hasOwnMesh = false
    let title = name ?? FileSystem.name(of: path)
    var parts: [Scene?] = try others.map { try $0.read(takingClass: true, in: context) }
    leaveOutDoubledFrames(of: &parts, others, title, in: context)
    try align(&parts, of: others, named: title, in: context)
    nameSessions(of: &parts, others, title)
    for (part, other) in zip(parts, others) {
      guard let part else { continue }
      warn(of: part, from: other.title, in: context)
      append(part)
    }
  }

  /// Makes the frames of each capture a session, if there are several.
  private mutating func nameSessions(
    of parts: inout [Scene?], _ others: [JoinedInput], _ title: String
  ) {
    let joined = parts.indices.filter { parts[$0]?.capture != nil }
    guard joined.count > (capture == nil ? 1 : 0) else {
      for index in joined { parts[index]?.capture?.origin?.hasOwnMesh = false }
      return
    }
    var names: [String] = []
    for title in (capture == nil ? [] : [title]) + joined.map({ others[$0].title }) {
      var (name, number) = (title, 2)
      while names.contains(name) { (name, number) = ("\(title)-\(number)", number + 1) }
      names.append(name)
    }
    capture?.become(session: 0, of: names)
    for (session, index) in zip(names.indices.suffix(joined.count), joined) {
      parts[index]?.capture?.become(session: session, of: names)
    }
  }

  /// Takes the frames of a recording that is given twice only once.
  private func leaveOutDoubledFrames(
    of parts: inout [Scene?], _ others: [JoinedInput], _ title: String, in context: ReadingContext
  ) {
    var known = capture.map { [(name: title, capture: $0)] } ?? []
    for index in parts.indices {
      guard let own = parts[index]?.capture else { continue }
      if let same = known.first(where: { $0.capture.isSameRecording(as: own) }) {
        context.stage.warn(
          "\(others[index].title): its frames are left out, since they are those of \(same.name)")
        parts[index]?.capture = nil
        // Nothing is left of a capture without a mesh.
        if others[index].format == nil { parts[index] = nil }
      } else {
        known.append((others[index].title, own))
      }
    }
  }

  /// Brings the scans with an alignment to where they fit the scene, all together; one that does not fit becomes nil.
  private func align(
    _ parts: inout [Scene?], of others: [JoinedInput], named title: String,
    in context: ReadingContext
  ) throws {
    let chosen = others.indices.filter { others[$0].alignment != nil }
    guard let first = chosen.first, let alignment = others[first].alignment else { return }
    var scans = [NamedScan(name: title, scene: self)]
    for index in chosen {
      guard let part = parts[index] else { continue }
      scans.append(NamedScan(name: others[index].title, scene: part))
      parts[index] = nil
    }
    let placed = try alignment.align(scans, in: context.stage)
    for (index, part) in zip(chosen, placed) { parts[index] = part }
  }

  /// Warns where what is merged means its numbers differently.
  private func warn(of part: Scene, from title: String, in context: ReadingContext) {
    if part.hasOtherTimes(than: self) {
      context.stage.warn(
        """
        \(title) counts GPS times from another time than what it is merged with: they are \
        taken as they are
        """)
    }
    if let own = survey?.referenceSystem, let second = part.survey?.referenceSystem,
      !own.isLeft, !second.isLeft, !own.isSame(as: second)
    {
      context.stage.warn(
        """
        \(title) is in the reference system \(second.words), and what it is merged with in \
        \(own.words): its coordinates are taken as they are; project one of them first
        """)
    }
  }

  /// Whether points of both have GPS times, which count from the beginning of a week in one of them only.
  private func hasOtherTimes(than other: Scene) -> Bool {
    guard let own = survey?.hasStandardTime, let second = other.survey?.hasStandardTime,
      own != second
    else { return false }
    return [self, other].allSatisfy { scene in
      scene.pointClouds.contains { $0.attributes["gps_time"] != nil }
    }
  }
}
