import fc from 'fast-check'

/** That a property fails is all that is asked: the smallest example of it would take most of the time. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })
