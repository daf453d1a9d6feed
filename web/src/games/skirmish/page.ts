/** Skirmish as a page without a server. */

import { openPage } from '../../page/open'
import parts from './parts'

openPage(parts)
