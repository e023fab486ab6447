package import MeshPipeline

/// One of several equal parts of a batch, each processed by a separate process or machine.
///
/// An item belongs to a shard only by its name. The name is known without reading the item, so no
/// shard opens the items of another; an edited scan stays in its shard, with the journal that has
/// its history; and added items don't move existing ones.
package struct Shard: Sendable, Hashable {
  /// From 1 to ``count``.
  package let number: Int
  package let count: Int

  package static let largestCount = 100_000

  /// - Returns: Nil if there is no such part.
  package init?(_ number: Int, of count: Int) {
    guard 1...Self.largestCount ~= count, 1...count ~= number else { return nil }
    self.number = number
    self.count = count
  }

  /// `3/16`.
  package var text: String { "\(number)/\(count)" }

  /// The shard of an item among `count`, from 1.
  package static func number(ofItem name: String, of count: Int) -> Int {
    Int(hash(name) % UInt64(max(count, 1))) + 1
  }

  /// Whether an item belongs to this shard.
  package func contains(_ item: String) -> Bool {
    Self.number(ofItem: item, of: count) == number
  }

  /// The hash of a name, which journals rely on: it must never change.
  ///
  /// FNV-1a over the UTF-8 bytes, followed by MurmurHash3's finaliser, so that the low bits are as
  /// good as the high ones.
  static func hash(_ name: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return hash ^ hash >> 33
  }
}

extension Shard {
  /// Parses `3/16`, or reads the environment of this task of a job array.
  ///
  /// `auto` checks in this order: `MESHPIPE_SHARD` (`3/16`), Slurm, AWS Batch, Kubernetes.
  /// Kubernetes doesn't tell a pod how many there are: write `auto/16` there. With the others a
  /// given count must agree.
  package init(
    parsing text: String, environment: (String) -> String? = FileSystem.environment
  ) throws(InvalidShard) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if parts.first == "auto" {
      var count: Int?
      if parts.count > 1 {
        guard parts.count == 2, let number = Self.number(parts[1]), number > 0 else {
          throw InvalidShard(
            "'\(text)' is not a shard: write auto/16 for this task's part of 16")
        }
        count = number
      }
      self = try Self.automatic(count: count, environment)
      return
    }
    guard parts.count == 2, let number = Self.number(parts[0]), let count = Self.number(parts[1])
    else {
      throw InvalidShard("'\(text)' is not a shard: write 3/16 for the third of 16, or auto")
    }
    guard let shard = Shard(number, of: count) else {
      throw InvalidShard("there is no shard \(text): shards are numbered from 1")
    }
    self = shard
  }

  private static func number(_ text: String) -> Int? {
    text.allSatisfy { "0"..."9" ~= $0 } ? Int(text) : nil
  }

  private static func automatic(
    count: Int?, _ environment: (String) -> String?
  ) throws(InvalidShard) -> Shard {
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    let found: (source: String, shard: Shard)?
    if let text = value("MESHPIPE_SHARD") {
      guard !text.hasPrefix("auto") else {
        throw InvalidShard("MESHPIPE_SHARD is '\(text)'; it must hold a shard such as 3/16")
      }
      do throws(InvalidShard) {
        found = ("MESHPIPE_SHARD", try Shard(parsing: text, environment: { _ in nil }))
      } catch { throw InvalidShard("MESHPIPE_SHARD: \(error.message)") }
    } else if let id = value("SLURM_ARRAY_TASK_ID") {
      found = ("SLURM_ARRAY_TASK_ID", try slurm(id, value))
    } else if let index = value("AWS_BATCH_JOB_ARRAY_INDEX") {
      found = (
        "AWS_BATCH_JOB_ARRAY_INDEX",
        try indexed(
          "AWS_BATCH_JOB_ARRAY_INDEX", index,
          count: value("AWS_BATCH_JOB_ARRAY_SIZE") ?? count?.description)
      )
    } else if let index = value("JOB_COMPLETION_INDEX") {
      found = (
        "JOB_COMPLETION_INDEX",
        try indexed("JOB_COMPLETION_INDEX", index, count: count?.description)
      )
    } else {
      found = nil
    }
    guard let found else {
      throw InvalidShard(
        "--shard auto finds no task of a job array: none of MESHPIPE_SHARD, SLURM_ARRAY_TASK_ID, "
          + "AWS_BATCH_JOB_ARRAY_INDEX and JOB_COMPLETION_INDEX is set; write --shard 3/16")
    }
    if let count, count != found.shard.count {
      throw InvalidShard(
        "--shard auto/\(count) does not fit \(found.source), which belongs to one of \(found.shard.count)"
      )
    }
    return found.shard
  }

  /// A task of a Slurm array whose indices may start anywhere, but have no gaps.
  private static func slurm(
    _ id: String, _ value: (String) -> String?
  ) throws(InvalidShard) -> Shard {
    guard let id = number(id), let low = value("SLURM_ARRAY_TASK_MIN").flatMap(number),
      let high = value("SLURM_ARRAY_TASK_MAX").flatMap(number),
      let count = value("SLURM_ARRAY_TASK_COUNT").flatMap(number), low <= id, id <= high
    else {
      throw InvalidShard(
        "SLURM_ARRAY_TASK_ID is set, but SLURM_ARRAY_TASK_MIN, _MAX and _COUNT don't fit it; write --shard 3/16"
      )
    }
    let step = value("SLURM_ARRAY_TASK_STEP").flatMap(number) ?? 1
    guard step > 0, (id - low) % step == 0, (high - low) / step + 1 == count,
      let shard = Shard((id - low) / step + 1, of: count)
    else {
      throw InvalidShard(
        "the indices of the Slurm array have gaps, so they don't determine shards; write "
          + "--shard 3/16, or give the array all its indices")
    }
    return shard
  }

  /// A task whose index counts from 0.
  private static func indexed(
    _ name: String, _ index: String, count: String?
  ) throws(InvalidShard) -> Shard {
    guard let count else {
      throw InvalidShard(
        "\(name) is set, but the number of tasks is unknown; write --shard auto/16 for 16 of them")
    }
    guard let index = number(index), let count = number(count), index < .max,
      let shard = Shard(index + 1, of: count)
    else {
      throw InvalidShard("\(name) is '\(index)', which is not an index below \(count)")
    }
    return shard
  }
}

/// A part of a batch that does not exist.
package struct InvalidShard: UserError, Equatable {
  package var message: String

  init(_ message: String) { self.message = message }

  package var exitCode: ExitCode { .usage }
}
