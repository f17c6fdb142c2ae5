import { fileURLToPath } from "node:url";

/** How a process is started that reads the packages' sources, for `fork` and for the conformance kits. */
export const sourceProcess = {
  execArgv: ["--import", "tsx", "--conditions=@jaf/source"],
  cwd: fileURLToPath(new URL("..", import.meta.url)), // Where tsx is installed.
};
