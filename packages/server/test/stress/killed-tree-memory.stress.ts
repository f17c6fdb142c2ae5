import { describeKilledTree } from "../support/killed-tree/describe.ts";
import { openInMemory } from "../support/worlds.ts";

describeKilledTree("memory", openInMemory);
