/// The files of a run while they are written, and the moment in which they appear.
public final class OutputTransaction {
  /// What may be overwritten.
  public enum Overwriting: Sendable {
    /// Any file but the input and those that are read-only.
    case allowed
    /// No file at all.
    case never
    /// Read-only files too.
    case forced
  }

  /// Removes the files of every unfinished transaction of the process and lets none commit any more.
  ///
  /// For the thread that ends the process after a signal; waits for a commit that has begun.
  public static func abandonAll() {}
}
