import pty, os, sys, time, select, json
# args: node program..., steps in env STEPS: JSON list of [wait_for, send]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
out = b""
def read(t):
    global out
    r,_,_ = select.select([fd],[],[],t)
    if not r: return True
    try: d = os.read(fd, 65536)
    except OSError: return False
    out += d
    return bool(d)
seen = 0
for want, send in json.loads(os.environ["STEPS"]):
    end = time.time()+60
    while time.time() < end:
        at = out.decode("utf8","replace").find(want, seen)
        if at >= 0: seen = at+len(want); break
        if not read(0.2): break
    else:
        sys.stderr.write("not seen: %r\n" % want); break
    os.write(fd, send.encode())
end = time.time()+30
while time.time() < end and read(0.5): pass
sys.stdout.buffer.write(out)
