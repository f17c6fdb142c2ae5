import { describeKeptEnds } from "./support/end-cache.ts";

// More of them run with `pnpm test:stress`.
describeKeptEnds({ store: "in memory", firstSeed: 0, endSeed: 20 });
describeKeptEnds({ store: "in memory, with a limit of messages", firstSeed: 0, endSeed: 20 });
describeKeptEnds({ store: "Redis", firstSeed: 0, endSeed: 8 });
describeKeptEnds({ store: "Postgres", firstSeed: 0, endSeed: 8 });
