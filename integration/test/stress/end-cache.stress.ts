import { describeKeptEnds } from "../support/end-cache.ts";

describeKeptEnds({ store: "in memory", firstSeed: 20, endSeed: 300 });
describeKeptEnds({ store: "in memory, with a limit of messages", firstSeed: 20, endSeed: 300 });
describeKeptEnds({ store: "Redis", firstSeed: 8, endSeed: 60 });
describeKeptEnds({ store: "Postgres", firstSeed: 8, endSeed: 60 });
