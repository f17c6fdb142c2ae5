import { describeCrashes } from "../support/crash/trials.ts";

describeCrashes({
  mode: { durability: "turn", concurrency: "queue", repeats: true },
  crashes: ["killed after"],
});
describeCrashes({
  mode: { durability: "step", concurrency: "queue", repeats: true },
  crashes: ["killed, done late", "fails after", "hangs"],
});
