import { MemorySetupError } from "@jaf/memory/adapter";
import { toMemoryError } from "./errors.ts";

export const toSetupError = (operation: string, thrown: unknown): MemorySetupError =>
  thrown instanceof MemorySetupError ? thrown : new MemorySetupError(toMemoryError(operation, thrown));
