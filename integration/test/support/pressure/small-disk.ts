import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A separate file system that can be filled. */
export interface SmallDisk {
  readonly fill: () => void;
  readonly free: () => void;
  readonly remove: () => void;
}

/** Mounted while `start` creates its server in the temporary folder; `undefined` if the tests lack the rights. */
export async function onSmallDisk<T>(megabytes: number, start: () => Promise<T>) {
  const path = mkdtempSync(join(tmpdir(), "jaf-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path], { stdio: "ignore" });
  } catch {
    rmSync(path, { recursive: true });
    return undefined;
  }
  chmodSync(path, 0o777);
  const ballast = join(path, "ballast");
  const remove = () => {
    execFileSync("umount", ["--lazy", path]);
    rmSync(path, { recursive: true, force: true });
  };
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = path;
  try {
    const server = await start();
    const disk: SmallDisk = {
      fill: () => {
        const { bavail, bsize } = statfsSync(path);
        try {
          writeFileSync(ballast, Buffer.alloc(bavail * bsize));
        } catch (thrown) {
          // The server has used some of the space meanwhile, so the disk is full, as intended.
          if ((thrown as NodeJS.ErrnoException).code !== "ENOSPC") throw thrown;
        }
      },
      free: () => rmSync(ballast, { force: true }),
      remove,
    };
    return { server, disk };
  } catch (thrown) {
    remove();
    throw thrown;
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}
