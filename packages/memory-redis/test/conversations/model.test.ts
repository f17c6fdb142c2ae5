import { describeModelPrograms } from "../support/model-programs.ts";

describeModelPrograms("node-redis", [0, 1, 2, 3, 4, 5]);
describeModelPrograms("node-redis cluster", [0, 1, 2, 3, 4, 5]);
