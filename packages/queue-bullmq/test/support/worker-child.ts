import { writeSync } from "node:fs";
import { createBullMQQueue } from "../../src/index.ts";

/** A worker in a process of its own. Prints the turn id of each pointer that it gets, and never finishes with one. */
const [connection = "", prefix = ""] = process.argv.slice(2);

createBullMQQueue({ connection, prefix }).work({
  concurrency: 1,
  handle: ({ turnId }) => {
    writeSync(1, `${turnId}\n`);
    return new Promise(() => {});
  },
  onError: (error) => writeSync(2, `${JSON.stringify(error)}\n`),
});
