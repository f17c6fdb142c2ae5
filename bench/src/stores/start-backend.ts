import type { Lab } from "../lab.ts";
import type { StoreKind } from "../options.ts";
import type { Backend } from "./backend.ts";
import { startPostgresBackend } from "./postgres.ts";
import { startRedisBackend } from "./redis.ts";

export const startBackend = (lab: Lab, kind: StoreKind): Promise<Backend> =>
  kind === "redis" ? startRedisBackend(lab) : startPostgresBackend(lab);
