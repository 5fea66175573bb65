import { defineQuery, defineSignal } from '@temporalio/workflow';

import type { SleepProgress } from '../src/domain/sleep-result.js';

/** No new queue is begun until `resume`; what is at work goes on to its end. */
export const pauseSignal = defineSignal('pause');

export const resumeSignal = defineSignal('resume');

/** The sleep ends once what is at work has ended; what waits is left to the next one. */
export const stopSignal = defineSignal('stop');

/** How far it is, and what it has done and spent. */
export const progressQuery = defineQuery<SleepProgress>('progress');
