extension BatchFolder {
  /// Where a batch, or one of its shards, keeps what is half done: nothing in it outlives the batch.
  public func staging(of shard: Shard?) -> String {
    guard let shard else { return path + "/staging" }
    return path + "/staging-\(shard.number)-of-\(shard.count)"
  }
}
