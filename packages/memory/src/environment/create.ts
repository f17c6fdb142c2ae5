import { findAdapter } from "../adapter/lookup.ts";
import { createMemoryValidationError, type MemoryIssue } from "../errors.ts";
import { openProvider } from "../factory/open.ts";
import type { MemoryClients } from "../factory/types.ts";
import { processEnvironment } from "../platform/process.ts";
import type { MemoryProvider } from "../provider.ts";
import { MemorySetupError } from "../setup-error.ts";
import { type MemoryEnvironment, readConfig, readType } from "./variables.ts";

const OPERATION = "createMemoryProviderFromEnv";

const invalid = (issues: readonly MemoryIssue[], provider: string) =>
  new MemorySetupError(createMemoryValidationError(issues, { operation: OPERATION, provider }));

/**
 * Opens the provider that the environment describes: `JAF_MEMORY_TYPE` (default `memory`) and the variables of its
 * adapter. An empty variable counts as not set. Clients as for `createMemoryProvider`.
 *
 * Rejects with a `MemorySetupError`; for bad values its `error` is a `MemoryValidationError` with an issue for each
 * variable, by name and without the value.
 */
export async function createMemoryProviderFromEnv(
  clients: MemoryClients = {},
  environment: MemoryEnvironment = processEnvironment(),
): Promise<MemoryProvider> {
  const read = readType(environment);
  if (!read.ok) throw invalid([read.issue], "unknown");
  const adapter = await findAdapter({ type: read.type, operation: OPERATION });
  const setup = { adapter, operation: OPERATION };
  const { config, issues } = await readConfig(setup, environment);
  if (config === undefined) throw invalid(issues, read.type);
  return openProvider(setup, config, clients);
}
