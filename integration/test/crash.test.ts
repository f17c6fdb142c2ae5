import { describeCrashes } from "./support/crash/trials.ts";

// `pnpm test:stress` runs the other kinds of crashes.
describeCrashes({
  mode: { durability: "completed", concurrency: "reject", repeats: false },
  crashes: ["killed after"],
});
describeCrashes({
  mode: { durability: "step", concurrency: "queue", repeats: true },
  crashes: ["killed after"],
});
