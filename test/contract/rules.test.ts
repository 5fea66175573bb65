import { RulesModel } from '../../src/adapters/rules.js';
import { describeLanguageModel } from './language-model.js';

describeLanguageModel('RulesModel', async () => new RulesModel());
