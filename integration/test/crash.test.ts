import { describeCrashes } from "./support/crash/trials.ts";

// The ways to crash that are left run with `pnpm test:stress`.
describeCrashes({
  mode: { durability: "completed", concurrency: "reject", repeats: false },
  crashes: ["killed after"],
});
describeCrashes({
  mode: { durability: "step", concurrency: "queue", repeats: true },
  crashes: ["killed after"],
});
