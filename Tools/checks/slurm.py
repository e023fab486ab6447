"""Runs a batch on a Slurm cluster of this machine's own and does it harm on the way.

    slurm.py MESHPIPE

A cluster of one node is started with a private configuration, key and ports on the loopback, and
stopped at the end. 64 scans in 8 shards go through it: one scan always fails, one task is killed with
SIGKILL, and slurmd is restarted in the middle. Afterwards every scan must be accounted for exactly once.
Prints what it found as JSON; the exit code says whether all was well.
"""

import collections
import contextlib
import getpass
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SCANS = 64
SHARDS = 8
BROKEN = 17


class Cluster:
    """munged, slurmctld and slurmd with nothing of the system's."""

    # Arrays of four tasks at most, so that the batch needs two of them.
    CONFIGURATION = """\
ClusterName=meshpipe
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
# A task that is queued again begins when its old credential has expired.
AuthInfo=socket={folder}/munge/socket,cred_expire=5
SlurmctldPort={controller}
SlurmdPort={daemon}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
MaxArraySize=5
ReturnToService=2
MinJobAge=5
KillWait=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

    def __init__(self, folder):
        self.folder = folder
        self.host = socket.gethostname().split(".")[0]
        self.daemons = {}
        for name in ("munge", "state", "spool", "log"):
            os.mkdir(f"{folder}/{name}", 0o755)
        with open(f"{folder}/munge/key", "wb") as file:
            file.write(os.urandom(1024))
        os.chmod(f"{folder}/munge/key", 0o600)
        controller, daemon = free_ports(2)
        self.configuration = f"{folder}/slurm.conf"
        with open(self.configuration, "w") as file:
            file.write(self.CONFIGURATION.format(
                folder=folder, host=self.host, user=getpass.getuser(), controller=controller,
                daemon=daemon))
        # Containers and chroots may have no cgroups, which nothing here needs: by default slurmd does not start
        # without them.
        with open(f"{folder}/cgroup.conf", "w") as file:
            file.write("CgroupPlugin=cgroup/v1\n")
        os.environ["SLURM_CONF"] = self.configuration

    def __enter__(self):
        try:
            self.start_all()
        except Exception:
            print("\n".join(self.logs()), file=sys.stderr)
            self.__exit__()
            raise
        return self

    def start_all(self):
        munge = f"{self.folder}/munge"
        self.start(
            "munged", "--foreground", "--force", f"--key-file={munge}/key",
            f"--socket={munge}/socket", f"--pid-file={munge}/pid", f"--log-file={munge}/log",
            f"--seed-file={munge}/seed")
        wait_for("munged", lambda: os.path.exists(f"{munge}/socket"), 10)
        self.start("slurmctld", "-D", "-i", "-f", self.configuration)
        self.start_node()
        wait_for("the node", lambda: self.node_state().startswith("idle"), 30)

    def __exit__(self, *_):
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(["scancel", "--user", getpass.getuser()], timeout=10,
                           stderr=subprocess.DEVNULL)
            time.sleep(0.5)
        for name in ("slurmd", "slurmctld", "munged"):
            self.stop(name)

    def start(self, name, *arguments):
        program = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
        log = open(f"{self.folder}/log/{name}", "a")
        self.daemons[name] = subprocess.Popen(
            [program, *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def start_node(self):
        self.start("slurmd", "-D", "-f", self.configuration, "-N", self.host)

    def stop(self, name):
        daemon = self.daemons.pop(name, None)
        if daemon is None:
            return
        daemon.terminate()
        try:
            daemon.wait(10)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()

    def node_state(self):
        answer = subprocess.run(
            ["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True, timeout=20)
        return answer.stdout.strip()

    def logs(self):
        for path in sorted(glob.glob(f"{self.folder}/log/*")):
            with open(path, errors="replace") as file:
                yield f"--- {os.path.basename(path)}\n" + "".join(file.readlines()[-25:])


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_for(what, condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds} s for {what}")
        time.sleep(0.1)


def grid(side):
    """A bumpy square of side² quads as OBJ."""
    lines = []
    for row in range(side + 1):
        for column in range(side + 1):
            height = (row * 7 + column * 13) % 11 * 0.01
            lines.append(f"v {column} {height:.3f} {row}")
    for row in range(side):
        for column in range(side):
            a = row * (side + 1) + column + 1
            lines.append(f"f {a} {a + side + 1} {a + side + 2} {a + 1}")
    return "\n".join(lines) + "\n"


STAGES = ["-s", "weld", "-s", "decimate faces=20%"]


def write_scans(meshpipe, folder, seconds):
    """Writes scans of a size that each is work for so many seconds."""
    side = 20
    while True:
        with open(f"{folder}/probe.obj", "w") as file:
            file.write(grid(side))
        start = time.monotonic()
        subprocess.run([meshpipe, "run", f"{folder}/probe.obj", *STAGES, "-o", f"{folder}/probe.glb"],
                       check=True, stderr=subprocess.DEVNULL)
        if time.monotonic() - start > seconds or side > 400:
            break
        side = side * 3 // 2
    os.mkdir(f"{folder}/scans")
    for number in range(SCANS):
        with open(f"{folder}/scans/scan-{number:02}.obj", "w") as file:
            # Each of its own, so that no two have the same bytes.
            file.write(grid(side) + f"# {number}\n")
    with open(f"{folder}/scans/scan-{BROKEN:02}.obj", "w") as file:
        file.write("v 0 0 0\nf 1 2 3\n")
    return side


def journal_lines(folder):
    for path in sorted(glob.glob(f"{folder}/out/.meshpipe-batch/journal-*.jsonl")):
        with open(path) as file:
            for line in file:
                with contextlib.suppress(json.JSONDecodeError):
                    yield os.path.basename(path), json.loads(line)


def entries(folder):
    return [(path, line) for path, line in journal_lines(folder) if "item" in line]


def victim(folder):
    """The process of a shard that is in the middle of its work."""
    done = collections.Counter(path for path, _ in entries(folder))
    due = {path: line["due"] for path, line in journal_lines(folder) if "due" in line}
    for path, count in done.items():
        if 0 < count < due.get(path, 0) - 1:
            with open(f"{folder}/out/.meshpipe-batch/{path.replace('journal', 'lock')[:-6]}") as file:
                return path, json.load(file)["process"]
    return None


def run(meshpipe, folder, cluster):
    batch = subprocess.Popen(
        [meshpipe, "batch", "scans", *STAGES, "-o", "out/{stem}.glb", "--submit", "slurm",
         "--shards", str(SHARDS), "--tasks-at-once", "4", "--wait", "--slurm-option", "--comment=x"],
        cwd=folder, stderr=subprocess.PIPE, text=True)
    found = None

    def find_victim():
        nonlocal found
        found = victim(folder)
        return found or batch.poll() is not None

    wait_for("a task at work", find_victim, 120)
    if found:
        os.kill(found[1], signal.SIGKILL)
    wait_for("half of the scans",
             lambda: len(entries(folder)) >= SCANS // 2 or batch.poll() is not None, 240)
    cluster.stop("slurmd")
    time.sleep(1)
    cluster.start_node()
    _, messages = batch.communicate(timeout=240)
    return batch.returncode, messages, found


def check(meshpipe, folder, code, messages, found):
    status = subprocess.run([meshpipe, "batch", "status", "out", "--json"], cwd=folder,
                            capture_output=True, text=True, check=True)
    status = json.loads(status.stdout)
    counts = status["counts"]
    lines = collections.Counter(entry["item"] for _, entry in entries(folder))
    runs = collections.Counter(path for path, line in journal_lines(folder) if "run" in line)
    outputs = {os.path.basename(path) for path in glob.glob(f"{folder}/out/*.glb")}
    expected = {f"scan-{number:02}.glb" for number in range(SCANS) if number != BROKEN}
    faults = []

    def demand(holds, fault):
        if not holds:
            faults.append(fault)

    demand(code == 3, f"the exit code is {code}")
    demand(found, "no task was killed")
    demand(not found or runs[found[0]] == 3, f"the killed task's journal has {runs} runs")
    demand(counts == {"done": 63, "warned": counts["warned"], "failed": 1, "temporary": 0, "due": 0},
           f"the counts are {counts}")
    demand(status["batches"][0]["activity"] == "finished", "the batch is not finished")
    demand(len(lines) == SCANS, f"{len(lines)} scans are accounted for")
    demand(set(lines.values()) == {1}, f"done more than once: {lines.most_common(5)}")
    demand(outputs == expected, f"outputs differ: {sorted(outputs ^ expected)}")
    demand(len(re.findall(r"\d+", re.search(r"as job ([\d ]+)", messages)[1])) == 2,
           "the shards don't make two arrays")
    return faults, counts


def main():
    meshpipe = os.path.abspath(sys.argv[1])
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mps-") as folder:
        side = write_scans(meshpipe, folder, 0.25)
        os.mkdir(f"{folder}/cluster")
        with Cluster(f"{folder}/cluster") as cluster:
            messages = ""
            try:
                code, messages, found = run(meshpipe, folder, cluster)
                faults, counts = check(meshpipe, folder, code, messages, found)
            except Exception as error:
                faults, counts = [repr(error)], {}
            if faults:
                print("\n".join([*faults, messages, *cluster.logs()]), file=sys.stderr)
                for path in sorted(glob.glob(f"{folder}/out/.meshpipe-batch/slurm-*.log")):
                    with open(path, errors="replace") as file:
                        print(f"--- {path}\n{file.read()[-1500:]}", file=sys.stderr)
        print(json.dumps({"counts": counts, "faults": faults, "side": side,
                          "seconds": round(time.monotonic() - start, 1)}))
    sys.exit(1 if faults else 0)


main()
