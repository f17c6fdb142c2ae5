export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Check {
  readonly what: string;
  readonly measured: number;
  readonly rule: "at most" | "at least";
  readonly target: number;
  readonly unit: "×" | " ms" | "%" | "";
}

export interface PartResult {
  readonly table: Table;
  readonly checks: readonly Check[];
}
