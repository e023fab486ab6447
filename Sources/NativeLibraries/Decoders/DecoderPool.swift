import MeshpipeBase
import MeshpipeScene
import POSIX
import Synchronization

/// The cells of this process, which are kept from one file to the next.
enum DecoderPool {
  private static let idle = Mutex<[DecoderCell]>([])

  /// Some 'meshpipe' in PATH of which no cell comes; asking it for each picture would take long.
  private static let unusable = Mutex<String?>(nil)

  /// As many as may decode pictures of one kind at a time, and a few for other libraries.
  private static let mostIdle = (ProcessResources.allowedCores ?? 4) + 4

  /// Where a task of several requests is done.
  enum Seat: Sendable {
    case cell(DecoderCell)
    /// This process, if it is a program that embeds the library and has no other to start.
    case here(DecoderService)

    /// - Parameter files: Open files, which stay open.
    func answer(
      to request: CellMessage, files: [Int32] = [], _ limits: DecoderCell.Limits
    ) throws(CellFailure) -> CellMessage {
      switch self {
      case .cell(let cell): try cell.answer(to: request, files: files, limits)
      case .here(let service):
        service.answer(to: request, files: files.map { fcntl($0, F_DUPFD_CLOEXEC, 0) })
          .asPixels(limits.isOfPixels)
      }
    }

    /// Sends a request, whose answer must be received before the next.
    func send(_ request: CellMessage, _ limits: DecoderCell.Limits) throws(CellFailure) {
      switch self {
      case .cell(let cell): try cell.send(request, limits)
      case .here(let service): service.request = request
      }
    }

    func receive(_ limits: DecoderCell.Limits) throws(CellFailure) -> CellMessage {
      switch self {
      case .cell(let cell): try cell.receive(limits)
      case .here(let service): service.answerRequest()
      }
    }
  }

  /// Does a task of one request.
  static func answer(
    to request: CellMessage, _ library: DecoderLibrary, _ limits: DecoderCell.Limits
  ) throws(CellFailure) -> CellMessage {
    let (seat, answer) = try begin(request, library, limits)
    giveBack(seat)
    return answer
  }

  /// Does the first request of a task, and keeps the place for those that follow.
  ///
  /// A cell that has done others before may have been left damaged by one of them: what fails there is tried again in a
  /// new one.
  /// - Parameter files: Open files, which stay open.
  static func begin(
    _ request: CellMessage, files: [Int32] = [], _ library: DecoderLibrary,
    _ limits: DecoderCell.Limits
  ) throws(CellFailure) -> (Seat, CellMessage) {
    if let kept = take(library) {
      do throws(CellFailure) {
        return (.cell(kept), try kept.answer(to: request, files: files, limits))
      } catch {
        if error == .cancelled { throw error }
      }
    }
    let seat = try newSeat(library)
    return (seat, try seat.answer(to: request, files: files, limits))
  }

  /// Keeps a cell for other files, if its task has ended well.
  static func giveBack(_ seat: Seat) {
    guard case .cell(let cell) = seat else { return }
    idle.withLock { idle in
      idle.append(cell)
      if idle.count > mostIdle { idle.removeFirst() }
    }
  }

  private static func take(_ library: DecoderLibrary) -> DecoderCell? {
    idle.withLock { idle in
      idle.lastIndex { $0.library == library }.map { idle.remove(at: $0) }
    }
  }

  private static func newSeat(_ library: DecoderLibrary) throws(CellFailure) -> Seat {
    let executable: String
    do throws(WorkerError) {
      executable = try OwnProgram.path()
    } catch .executableUnknown where !Confinement.isRequired {
      return .here(DecoderService())
    } catch {
      throw CellFailure(error)
    }
    let isFound = !OwnProgram.isNamed && !Confinement.isRequired
    if isFound, unusable.withLock({ $0 == executable }) { return .here(DecoderService()) }
    do throws(CellFailure) {
      return .cell(try DecoderCell(library, executable: executable))
    } catch .notStarted where isFound {
      // An embedding program found some 'meshpipe' in PATH, which may be of another version.
      unusable.withLock { $0 = executable }
      return .here(DecoderService())
    }
  }
}
