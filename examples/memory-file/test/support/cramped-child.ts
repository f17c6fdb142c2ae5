import { createFileProvider } from "../../src/index.ts";
import { say, UNOWNED } from "./messages.ts";

/** Appends long messages until one fails, then a short one. Prints how many were written, and the error. */
const [folder = ""] = process.argv.slice(2);
const provider = await createFileProvider({ folder });
for (let written = 0; ; written += 1) {
  const result = await provider.appendMessages("c", [say("x".repeat(300_000))], {}, UNOWNED);
  if (result.success) continue;
  const last = await provider.appendMessages("c", [say("short")], {}, UNOWNED);
  if (!last.success) throw new Error(last.error.message);
  console.log(JSON.stringify({ written, error: result.error }));
  break;
}
await provider.close();
