import { describeKilledTree } from "../support/killed-tree/describe.ts";
import { openPostgres } from "../support/real-worlds.ts";

describeKilledTree("Postgres", openPostgres);
