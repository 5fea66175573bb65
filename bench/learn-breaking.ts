import { parseProcedure, writeProcedure, type ProcedureStep } from '../src/domain/procedure.js';

/**
 * The procedure with its means permuted: of the steps for lines under one heading, each gets the action of the next. What is
 * right for one is then done for another; all else stays. A text that has no such steps stays as it is.
 */
export function permuted(text: string): string {
  const procedure = parseProcedure(text);
  const byHeading = new Map<string, ProcedureStep[]>();
  for (const step of procedure.steps) {
    const heading = headingOf(step);
    if (heading !== undefined) byHeading.set(heading, [...(byHeading.get(heading) ?? []), step]);
  }
  const steps = procedure.steps.map((step) => {
    const together = byHeading.get(headingOf(step) ?? '') ?? [step];
    const next = together[(together.indexOf(step) + 1) % together.length];
    return { ...step, action: next?.action ?? step.action };
  });
  return writeProcedure({ ...procedure, steps });
}

const headingOf = ({ cue }: ProcedureStep): string | undefined => /^[^:]*:(?= )/u.exec(cue ?? '')?.[0];
