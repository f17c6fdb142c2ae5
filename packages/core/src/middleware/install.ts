import type { Agent } from "../agent.ts";
import type { RunConfig } from "../config.ts";
import type { RunScope } from "../engine/run-scope.ts";
import type { JAFError } from "../errors.ts";
import { textOfThrown } from "../thrown.ts";
import { checkMiddleware } from "./check.ts";
import type { Middleware } from "./middleware.ts";
import {
  type Asking,
  checkDeclared,
  declarationFor,
  userMemoryMiddleware,
} from "./user-memory/declaration.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
type Installing<Ctx> = Pick<Agent<Ctx, any>, "middleware" | "remembers">;
type Configured<Ctx> = Pick<RunConfig<Ctx>, "middleware" | "remembers" | "userMemory">;

/** Whether a run that begins with this agent may have any. Where it has none, nothing is awaited for it. */
export const hasMiddleware = <Ctx>(config: Configured<Ctx>, agent: Installing<Ctx>): boolean =>
  config.middleware !== undefined ||
  agent.middleware !== undefined ||
  declarationFor(config, agent) !== undefined;

/**
 * The run's, then the agent's, then that of what it remembers. Throws a `TypeError` for what is none, e.g. a declaration
 * that a function of the application's returned.
 */
export async function install<Ctx>(
  scope: RunScope<Ctx>,
  agent: Installing<Ctx>,
  asking: Asking<Ctx>,
): Promise<readonly Middleware<Ctx>[]> {
  const { config } = scope;
  const given = givenBy(config, agent, labelOfRun);
  const declared = declarationFor(config, agent);
  return declared === undefined
    ? given
    : [...given, ...(await userMemoryMiddleware(scope, declared, asking))];
}

/** Throws a `TypeError` for what can be seen to be wrong before anything is called. `label`: what a field is called. */
export function checkInstallable<Ctx>(
  config: Configured<Ctx>,
  agent: Installing<Ctx>,
  label: (field: string) => string,
): void {
  givenBy(config, agent, label);
  checkDeclared(config, agent, label);
}

export const faultOf = (thrown: unknown): JAFError => ({
  _tag: "InternalError",
  detail: textOfThrown(thrown),
});

function givenBy<Ctx>(
  config: Configured<Ctx>,
  agent: Installing<Ctx>,
  label: (field: string) => string,
): readonly Middleware<Ctx>[] {
  if (config.middleware === undefined && agent.middleware === undefined) return [];
  return [
    ...checkMiddleware(config.middleware ?? [], label("middleware")),
    ...checkMiddleware(agent.middleware ?? [], "Agent.middleware"),
  ];
}

/** What a field is called of a configuration of a run. */
export const labelOfRun = (field: string): string => `RunConfig.${field}`;
