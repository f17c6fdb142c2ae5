import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** The figures of this process that must not grow. */
export interface ProcessFigures {
  /** The used heap after a garbage collection, in megabytes. */
  readonly heapMb: number;
  /** Sockets, timers and other resources that keep a process alive. */
  readonly resources: number;
}

export function takeFigures(): ProcessFigures {
  collectGarbage();
  collectGarbage();
  return {
    heapMb: process.memoryUsage().heapUsed / 2 ** 20,
    resources: process.getActiveResourcesInfo().length,
  };
}
