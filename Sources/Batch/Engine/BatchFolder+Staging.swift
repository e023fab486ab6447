extension BatchFolder {
  /// The folder for temporary files of a batch or shard; nothing in it outlives the batch.
  package func staging(of shard: Shard?) -> String {
    guard let shard else { return path + "/staging" }
    return path + "/staging-\(shard.number)-of-\(shard.count)"
  }
}
