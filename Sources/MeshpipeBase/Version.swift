/// The version of meshpipe, as in CHANGELOG.md; part of reports and of stamps for up-to-date checks.
public let meshpipeVersion = "0.1.0"
