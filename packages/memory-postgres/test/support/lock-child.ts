import { lockFolder } from "../../src/pglite/folder-lock.ts";

/** Waits for a line, then tries to lock the folder, and holds the lock until it is killed. */
const [folder = ""] = process.argv.slice(2);
console.log("ready");
process.stdin.once("data", () => {
  try {
    lockFolder(folder);
    console.log("result won");
  } catch (thrown) {
    console.log(`result ${thrown instanceof Error && "reason" in thrown ? thrown.reason : String(thrown)}`);
  }
});
