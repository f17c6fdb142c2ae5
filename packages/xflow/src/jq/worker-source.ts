/**
 * The worker's program, as text: it is started from sources and from each build alike. `jq-wasm` is jq itself, compiled to
 * WebAssembly, so an expression sees JSON and nothing of this process: no prototypes, files, environment or network. The heap's
 * limit of a worker doesn't count the memory of WebAssembly, so that is limited where it grows.
 */
export const WORKER_SOURCE = `
const { parentPort, workerData } = require("node:worker_threads");
const PAGE = 65536;
const { grow } = WebAssembly.Memory.prototype;
let isFull = false;
WebAssembly.Memory.prototype.grow = function (pages) {
  isFull = this.buffer.byteLength + pages * PAGE > workerData.maxMemoryBytes;
  if (isFull) throw new RangeError("The memory limit is reached.");
  return grow.call(this, pages);
};
// jq-wasm takes each byte of its input from the front by slice(1), which copies all the rest; a view will do.
const { slice } = Uint8Array.prototype;
Uint8Array.prototype.slice = function (start, end) {
  return start === 1 && end === undefined ? this.subarray(1) : slice.call(this, start, end);
};
const jq = require(workerData.jq);
parentPort.on("message", async ({ input, filter }) => {
  try {
    const output = await jq.raw(input, filter, ["-c"]);
    parentPort.postMessage(output.length > workerData.maxOutputLength ? { ended: "output" } : { ended: "ok", output });
  } catch (thrown) {
    const detail = String(thrown instanceof Error ? thrown.message : thrown).slice(0, 1000);
    const isBroken = thrown instanceof WebAssembly.RuntimeError;
    // jq aborts where it gets no memory, also if it never came to ask for more.
    if (isFull || (isBroken && detail.startsWith("Aborted("))) parentPort.postMessage({ ended: "memory" });
    else parentPort.postMessage(isBroken ? { ended: "worker" } : { ended: "failed", detail });
  }
});
`;
