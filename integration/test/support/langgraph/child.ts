import { type Address, openStore } from "./address.ts";
import { openProgram } from "./program.ts";
import { writeAtOnce } from "./writers.ts";

/** What a process shall do. */
export type Task =
  | { readonly kind: "begin" }
  | { readonly kind: "resume"; readonly answer: string }
  | { readonly kind: "write"; readonly writer: string };

const { address, task } = JSON.parse(process.argv[2] ?? "") as {
  readonly address: Address;
  readonly task: Task;
};
const provider = await openStore(address);
process.send?.({ kind: "ready" });
await new Promise((resolve) => process.once("message", resolve));
if (task.kind === "write") await writeAtOnce(provider, task.writer);
const program = openProgram(provider, "ada");
const reply =
  task.kind === "begin"
    ? await program.begin()
    : task.kind === "resume"
      ? await program.resume(task.answer)
      : undefined;
process.send?.({ kind: "done", reply });
await provider.close();
process.disconnect();
