/**
 * Temporal's `Duration` comes from `ms@3.0.0-canary.1`, whose `exports` name no types, so that under `nodenext` every
 * duration is `any` and `sleep('30 secondz')` compiles (temporalio/sdk-typescript#1668). This gives it its real type.
 */
declare module 'ms' {
  type Unit =
    | 'years'
    | 'year'
    | 'yrs'
    | 'yr'
    | 'y'
    | 'weeks'
    | 'week'
    | 'w'
    | 'days'
    | 'day'
    | 'd'
    | 'hours'
    | 'hour'
    | 'hrs'
    | 'hr'
    | 'h'
    | 'minutes'
    | 'minute'
    | 'mins'
    | 'min'
    | 'm'
    | 'seconds'
    | 'second'
    | 'secs'
    | 'sec'
    | 's'
    | 'milliseconds'
    | 'millisecond'
    | 'msecs'
    | 'msec'
    | 'ms';
  type UnitAnyCase = Unit | Uppercase<Unit> | Capitalize<Unit>;
  export type StringValue = `${number}` | `${number}${UnitAnyCase}` | `${number} ${UnitAnyCase}`;
  export default function ms(value: StringValue | number): number;
}
