import type { AnyAgent } from "../models/run.ts";
import type { JsonObject } from "../fakes/service.ts";

export interface Recording {
  readonly feature: string;
  readonly special: string;
  readonly documentation: string;
  readonly model: string;
  readonly agent: Partial<AnyAgent>;
  readonly replies: readonly { readonly whole?: JsonObject; readonly events?: readonly JsonObject[] }[];
  readonly output?: string;
  readonly error?: object;
  readonly asked?: object;
  readonly kept?: readonly unknown[];
  readonly askedAgain?: readonly unknown[];
  readonly usage?: object;
  readonly toldArguments?: readonly string[];
}
