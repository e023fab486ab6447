import Batch
import MeshPipeline
import Testing

struct ShardTests {
  private func shard(_ text: String, _ environment: [String: String] = [:]) throws -> Shard {
    try Shard(parsing: text, environment: { environment[$0] })
  }

  private func message(_ text: String, _ environment: [String: String] = [:]) -> String {
    do {
      _ = try shard(text, environment)
      return ""
    } catch { return (error as? InvalidShard)?.message ?? "" }
  }

  @Test func `shards count from one`() throws {
    #expect(try shard("1/16") == Shard(1, of: 16))
    #expect(try shard("16/16").text == "16/16")
    #expect(message("0/16").contains("numbered from 1"))
    #expect(message("17/16").contains("numbered from 1"))
  }

  @Test(arguments: [
    "", "3", "3/", "/3", "a/b", "1/2/3", "-1/3", "1/999999999999999999999", "1/0", "automatic",
    "auto/", "auto/x", "auto/1/2",
  ])
  func `what is no shard is refused with the way out`(text: String) {
    #expect(message(text).contains("write") || message(text).contains("numbered from 1"))
  }

  @Test(arguments: [1, 2, 7, 16, 100])
  func `every item falls to one shard, and about as many to each`(count: Int) throws {
    var sizes = [Int](repeating: 0, count: count)
    for index in 0..<(100 * count) {
      let name = "scans.tar.zst/day\(index % 7)/room-\(index).obj"
      sizes[Shard.number(ofItem: name, of: count) - 1] += 1
      let owners = (1...count).filter { Shard($0, of: count)?.contains(name) == true }
      if index < 20 { #expect(owners.count == 1) }
    }
    #expect(sizes.allSatisfy { 55...150 ~= $0 })
  }

  @Test func `the shard of an item never changes`() {
    // Journals rely on it: these numbers are for ever.
    #expect(Shard.number(ofItem: "scans/room.obj", of: 16) == 16)
    #expect(Shard.number(ofItem: "ä.obj", of: 1000) == 303)
  }

  @Test func `Slurm tells the shard by an index that may begin anywhere`() throws {
    func slurm(_ id: Int, _ low: Int, _ high: Int, _ count: Int, step: Int = 1) -> [String: String]
    {
      [
        "SLURM_ARRAY_TASK_ID": "\(id)", "SLURM_ARRAY_TASK_MIN": "\(low)",
        "SLURM_ARRAY_TASK_MAX": "\(high)", "SLURM_ARRAY_TASK_COUNT": "\(count)",
        "SLURM_ARRAY_TASK_STEP": "\(step)",
      ]
    }
    #expect(try shard("auto", slurm(0, 0, 7, 8)) == Shard(1, of: 8))
    #expect(try shard("auto", slurm(8, 1, 8, 8)) == Shard(8, of: 8))
    #expect(try shard("auto", slurm(14, 10, 16, 4, step: 2)) == Shard(3, of: 4))
    #expect(try shard("auto/8", slurm(8, 1, 8, 8)) == Shard(8, of: 8))
    #expect(message("auto", slurm(3, 1, 9, 2)).contains("gaps"))
    #expect(message("auto/9", slurm(8, 1, 8, 8)).contains("one of 8"))
    #expect(message("auto", ["SLURM_ARRAY_TASK_ID": "1"]).contains("don't fit"))
  }

  @Test func `AWS Batch and Kubernetes count from zero`() throws {
    #expect(
      try shard("auto", ["AWS_BATCH_JOB_ARRAY_INDEX": "0", "AWS_BATCH_JOB_ARRAY_SIZE": "4"])
        == Shard(1, of: 4))
    #expect(try shard("auto/4", ["JOB_COMPLETION_INDEX": "3"]) == Shard(4, of: 4))
    #expect(message("auto", ["JOB_COMPLETION_INDEX": "3"]).contains("auto/16"))
    #expect(message("auto/3", ["JOB_COMPLETION_INDEX": "3"]).contains("not an index below 3"))
  }

  @Test func `a variable of our own goes before the others`() throws {
    let environment = ["MESHPIPE_SHARD": "2/5", "JOB_COMPLETION_INDEX": "3"]
    #expect(try shard("auto", environment) == Shard(2, of: 5))
    #expect(message("auto", ["MESHPIPE_SHARD": "auto"]).contains("3/16"))
    #expect(message("auto", ["MESHPIPE_SHARD": "9"]).hasPrefix("MESHPIPE_SHARD: "))
  }

  @Test func `without a job array auto says what it looked for`() {
    #expect(message("auto").contains("SLURM_ARRAY_TASK_ID"))
    #expect(message("auto", ["SLURM_ARRAY_TASK_ID": ""]).contains("none of"))
  }
}
