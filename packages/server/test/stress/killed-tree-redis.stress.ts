import { describeKilledTree } from "../support/killed-tree/describe.ts";
import { openRedis } from "../support/real-worlds.ts";

describeKilledTree("Redis", openRedis);
