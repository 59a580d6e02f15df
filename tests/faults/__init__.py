"""What a store survives: kills, torn writes, failing and full disks, power cuts, crowds of processes.

    cases.py        every writing operation, as a command on a store that has something of everything
    shim.c, shim.py a library that numbers the side effects of a process and faults one of them
    laboratory.py   a warm process that forks a child for each fault; warm.py starts it and asks it
    disk.py         a disk in memory: what a kill or a power cut leaves of a traced run
    invariants.py   what must hold afterwards, whatever the fault

Kills and torn writes are checked at every side effect. What fails (EIO once, no space from then on) is tried at every
side effect too, except inside a run of five and more of one kind: pages that SQLite writes, files that Lance writes or
removes between two versions.
`SATCHEL_TEST_FULL=1` runs everything, otherwise a short slice runs.
"""
