import { describeModelPrograms } from "../support/model-programs.ts";

const seeds = Array.from({ length: 25 }, (_, seed) => seed);

describeModelPrograms("node-redis", seeds.slice(6));
describeModelPrograms("node-redis cluster", seeds.slice(6));
describeModelPrograms("ioredis", seeds);
describeModelPrograms("ioredis cluster", seeds);
