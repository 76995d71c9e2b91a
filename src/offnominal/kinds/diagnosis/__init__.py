"""Diagnosis studies: do explanations name the right channel, onset and fault?"""
